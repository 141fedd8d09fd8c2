-- Form 1, between 0.1.0 and 0.2.0: questions.
CREATE TABLE lab(  lab TEXT PRIMARY KEY, step INTEGER, started INTEGER, passed INTEGER, answer_seen INTEGER, hints INTEGER,  best_score REAL, max_score REAL, best_speedup REAL, checks INTEGER, right_answers INTEGER, wrong_answers INTEGER,  started_at INTEGER, passed_at INTEGER) WITHOUT ROWID;
INSERT INTO "lab" VALUES('hello',1,1,0,0,1,0.0,0.0,0.0,0,0,0,1795385587,0);
INSERT INTO "lab" VALUES('vector-add',4,1,1,0,2,7.5,10.0,1.25,3,5,4,1795385587,1795385600);
CREATE TABLE setting(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
INSERT INTO "setting" VALUES('current','hello');
INSERT INTO "setting" VALUES('lang','zh');
CREATE TABLE question(  lab TEXT, key TEXT, tries INTEGER, first INTEGER, right INTEGER, PRIMARY KEY(lab, key)) WITHOUT ROWID;
INSERT INTO "question" VALUES('vector-add','k',2,0,1);
PRAGMA user_version = 1;
