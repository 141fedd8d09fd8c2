// an older Moodle
