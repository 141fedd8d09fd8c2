// Jane
