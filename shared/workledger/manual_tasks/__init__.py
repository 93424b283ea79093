"""Manual tasks: records worked by people, in order, with adjudication. Pure."""
