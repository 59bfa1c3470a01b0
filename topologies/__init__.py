"""IP networks: models, files and routes; knows no subscriptions."""
