"""Language models in seats, through any server that speaks the OpenAI chat API."""
