"""What is on the wire: bodies as pydantic models, answers as typed dictionaries, both camelCase.

Wire, domain and storage never share a class: a domain can change without the API noticing.
"""
