-- Progress as 0.1.0 left it: no number. The row of hello is a session of that program's; the other was added by hand.
CREATE TABLE lab(  lab TEXT PRIMARY KEY, step INTEGER, started INTEGER, passed INTEGER, answer_seen INTEGER, hints INTEGER,  best_score REAL, max_score REAL, best_speedup REAL, checks INTEGER, right_answers INTEGER, wrong_answers INTEGER,  started_at INTEGER, passed_at INTEGER) WITHOUT ROWID;
INSERT INTO "lab" VALUES('hello',1,1,0,0,1,0.0,0.0,0.0,0,0,0,1795385587,0);
INSERT INTO "lab" VALUES('vector-add',4,1,1,0,2,7.5,10.0,1.25,3,5,4,1795385587,1795385600);
CREATE TABLE setting(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
INSERT INTO "setting" VALUES('current','hello');
INSERT INTO "setting" VALUES('lang','zh');
PRAGMA user_version = 0;
