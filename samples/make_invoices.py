"""Make invoices.json: 500 entries to add to a queue, always the same ones.

    python samples/make_invoices.py > samples/invoices.json

What is in it, so that a demo has something to show:

- references: the invoice number. Some invoices were sent twice (by e-mail, then by the portal),
  so their reference comes again: the queue adds it once.
- three priorities: 10 a reminder came, 5 a cash discount ends soon, 0 all others.
- some whose net and tax do not add up to the total: a worker can never book them.
- `simulate`: "timeout" makes the sample's worker fail on the first try, "kill" makes its process
  die on the first try, as if the machine had lost power.
"""

import json
import random
import sys
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal

ENTRIES = 500
SENT_TWICE = 38
WRONG_TOTALS = 14
TIMEOUTS = 24
KILLED = 40
"""Which invoice kills its worker."""

CENT = Decimal("0.01")
FIRST_DAY = date(2026, 1, 5)


@dataclass(frozen=True)
class Supplier:
    """Who sends invoices; `prefix` begins their numbers."""

    name: str
    prefix: str
    city: str
    currency: str
    tax_percent: int


SUPPLIERS = (
    Supplier("Nordwind Energie GmbH", "NW", "Hamburg", "EUR", 19),
    Supplier("Papeterie Lacroix SARL", "LX", "Lyon", "EUR", 20),
    Supplier("Fjord Freight AS", "FJ", "Bergen", "NOK", 25),
    Supplier("Harlow & Pike Ltd", "HP", "Leeds", "GBP", 20),
    Supplier("Officina Bianchi S.p.A.", "OB", "Torino", "EUR", 22),
    Supplier("Zeman Stroje s.r.o.", "ZS", "Brno", "CZK", 21),
    Supplier("Müller Gebäudereinigung", "MG", "Köln", "EUR", 19),
    Supplier("Alpenblick Catering AG", "AC", "Luzern", "CHF", 8),
    Supplier("Kowalski Transport", "KT", "Poznań", "PLN", 23),
    Supplier("De Vries Techniek B.V.", "DV", "Utrecht", "EUR", 21),
    Supplier("Copper Lane Software Inc.", "CL", "Portland", "USD", 0),
    Supplier("Andersson Kontor AB", "AK", "Uppsala", "SEK", 25),
)


@dataclass(frozen=True)
class Invoice:
    """An invoice as it came in; amounts have two decimals, as they are printed."""

    number: str
    supplier: Supplier
    net: Decimal
    tax: Decimal
    total: Decimal
    issued: date
    due: date
    priority: int
    channel: str
    simulate: str | None = None


def invoices(rng: random.Random) -> list[Invoice]:
    """The invoices in the order in which they came in, each once."""
    count = ENTRIES - SENT_TWICE
    troubled = rng.sample([at for at in range(count) if at != KILLED], WRONG_TOTALS + TIMEOUTS)
    wrong, slow = set(troubled[:WRONG_TOTALS]), set(troubled[WRONG_TOTALS:])
    made: list[Invoice] = []
    for at in range(count):
        simulate = "kill" if at == KILLED else "timeout" if at in slow else None
        made.append(_invoice(rng, at, simulate, adds_up=at not in wrong))
    return made


def _invoice(rng: random.Random, at: int, simulate: str | None, *, adds_up: bool) -> Invoice:
    supplier = rng.choice(SUPPLIERS)
    net = (Decimal(rng.randint(1_500, 950_000)) / 100).quantize(CENT)
    tax = (net * supplier.tax_percent / 100).quantize(CENT, ROUND_HALF_UP)
    issued = FIRST_DAY + timedelta(days=at // 8)
    return Invoice(
        number=f"{supplier.prefix}-{issued.year}-{1000 + at}",
        supplier=supplier,
        net=net,
        tax=tax,
        total=net + tax if adds_up else net + tax + Decimal(rng.choice(("9.00", "0.90", "-27.00"))),
        issued=issued,
        due=issued + timedelta(days=rng.choice((14, 30, 30, 60))),
        priority=rng.choices((0, 5, 10), (75, 18, 7))[0],
        channel=rng.choice(("e-mail", "e-mail", "post")),
        simulate=simulate,
    )


def with_repeats(rng: random.Random, once: list[Invoice]) -> list[Invoice]:
    """Some invoices come again through the portal, up to 60 entries later."""
    entries = list(once)
    for first in rng.sample(once, SENT_TWICE):
        at = entries.index(first)
        again = Invoice(**{**vars(first), "channel": "portal"})
        entries.insert(min(at + rng.randint(1, 60), len(entries)), again)
    return entries


def entry(invoice: Invoice) -> str:
    """The entry as JSON, amounts digit for digit: 120.50 is not 120.5 on an invoice."""
    members = {
        "invoiceNo": _text(invoice.number),
        "supplier": _text(invoice.supplier.name),
        "city": _text(invoice.supplier.city),
        "currency": _text(invoice.supplier.currency),
        "net": str(invoice.net),
        "tax": str(invoice.tax),
        "total": str(invoice.total),
        "issued": _text(invoice.issued.isoformat()),
        "dueDate": _text(invoice.due.isoformat()),
        "channel": _text(invoice.channel),
    }
    if invoice.simulate:
        members["simulate"] = _text(invoice.simulate)
    data = ", ".join(f'"{name}": {value}' for name, value in members.items())
    priority = f', "priority": {invoice.priority}' if invoice.priority else ""
    return f'{{"reference": {_text(invoice.number)}{priority}, "data": {{{data}}}}}'


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def main() -> None:
    """Print the whole file."""
    rng = random.Random(20260311)
    entries = with_repeats(rng, invoices(rng))
    lines = ",\n  ".join(entry(one) for one in entries)
    sys.stdout.buffer.write(f"[\n  {lines}\n]\n".encode())


if __name__ == "__main__":
    main()
