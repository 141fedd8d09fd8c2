// Jane Doe
