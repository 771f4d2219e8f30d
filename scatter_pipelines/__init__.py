"""Turns a batch of documents into a table of facts with evidence, on Dagster."""
