-- Decisions of moderators about what people made, or about them, as they read them.
create table statements (
    id bigint generated always as identity primary key,
    -- whom it concerns
    user_id bigint not null constraint statements_user_id_fkey references users on delete cascade,
    decision text not null constraint statements_decision_known check (decision in ('hold', 'remove', 'suspend')),
    type text not null constraint statements_type_known check (type in ('project', 'page', 'element', 'comment', 'user')),
    thing_id bigint not null,
    project_id bigint,
    rule text not null constraint statements_rule_known check (rule in ('spam', 'hurtful', 'dangerous', 'copyright', 'personal', 'other')),
    reason text not null constraint statements_reason_length check (char_length(reason) between 1 and 1000),
    facts text not null constraint statements_facts_known check (facts in ('report', 'own', 'automatic')),
    -- null if an operator or the service did it
    moderator_id bigint,
    at timestamptz(3) not null default now(),
    until timestamptz(3),
    -- when somebody took it back
    ended_at timestamptz(3)
);
create index statements_user_id_idx on statements (user_id, id desc);
create index statements_thing_idx on statements (type, thing_id) where ended_at is null;

-- Appeals: one for a statement.
create table appeals (
    statement_id bigint primary key constraint appeals_statement_id_fkey references statements on delete cascade,
    text text not null constraint appeals_text_length check (char_length(text) between 1 and 2000),
    at timestamptz(3) not null default now(),
    outcome text constraint appeals_outcome_known check (outcome in ('upheld', 'reversed')),
    reason text constraint appeals_reason_length check (char_length(reason) between 1 and 1000),
    decided_by bigint,
    decided_at timestamptz(3),
    constraint appeals_decided check ((outcome is null) = (decided_at is null))
);
create index appeals_open_idx on appeals (at, statement_id) where outcome is null;
