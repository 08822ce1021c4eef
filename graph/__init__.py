"""What is drawn and what becomes of it: documents, validation, plans, models, and the process that runs them."""
