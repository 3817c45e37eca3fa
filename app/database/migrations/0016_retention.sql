-- For what is deleted when it is old.
CREATE INDEX turn_traces_created ON turn_traces(created_at);
CREATE INDEX questions_over ON questions(asked_at) WHERE state <> 'pending';
