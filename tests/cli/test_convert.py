"""`workledger convert uipath`: another product's bulk request becomes entries (Q85)."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from workledger.cli.main import app

REQUEST = {
    "queueName": "Invoices",
    "commitType": "ProcessAllIndependently",
    "queueItems": [
        {
            "Name": "Invoices",
            "Priority": "High",
            "Reference": "4711",
            "SpecificContent": {
                "InvoiceNo@odata.type": "#String",
                "InvoiceNo": "4711",
                "Amount@odata.type": "#Decimal",
                "Amount": 99.95,
            },
            "DueDate": "2024-07-01T12:00:00Z",
            "DeferDate": None,
        },
        {"Priority": "Normal", "Reference": "4711", "SpecificContent": {"InvoiceNo": "4711"}},
        {
            "Priority": "Low",
            "SpecificContent": {"Amount": 0.1},
            "DeferDate": "2024-07-01T12:00:00Z",
        },
    ],
}


def convert(folder: Path, text: str):
    """Runs the command on a file with this text."""
    file = folder / "request.json"
    file.write_text(text)
    return CliRunner().invoke(app, ["convert", "uipath", str(file)])


def test_q85_a_request_of_another_product_becomes_entries(tmp_path: Path):
    """Q85: priorities by name, types dropped, both dates kept."""
    result = convert(tmp_path, json.dumps(REQUEST))
    assert result.exit_code == 0, result.output
    assert json.loads(result.output) == [
        {
            "data": {"InvoiceNo": "4711", "Amount": 99.95},
            "priority": 10,
            "reference": "4711",
            "due": "2024-07-01T12:00:00Z",
        },
        {"data": {"InvoiceNo": "4711"}, "priority": 0, "reference": "4711"},
        {"data": {"Amount": 0.1}, "priority": -10, "notBefore": "2024-07-01T12:00:00Z"},
    ]


def test_q10_numbers_are_kept_as_they_were_written(tmp_path: Path):
    """Q10: digit for digit."""
    text = '{"queueItems":[{"SpecificContent":{"a":30.40,"b":9007199254740993,"c":1e-7}}]}'
    assert '{"a":30.40,"b":9007199254740993,"c":1e-7}' in convert(tmp_path, text).output


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "not JSON"),
        ("[]", "queueItems"),
        ('{"queueItems":[{"SpecificContent":{}},{}]}', "queueItems[1]"),
        ('{"queueItems":[{"SpecificContent":{},"Priority":"Urgent"}]}', "Priority"),
    ],
)
def test_q85_what_is_no_such_request_is_refused(tmp_path: Path, text: str, told: str):
    """Q85: the error names what is wrong and where."""
    result = convert(tmp_path, text)
    assert result.exit_code == 2
    assert told in result.output
