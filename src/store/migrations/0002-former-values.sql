-- Payees that listings name, with dates, and values that earlier versions of records named.
create table payee (
  key TEXT not null, handle TEXT not null, network TEXT not null, address TEXT not null, since TEXT not null,
  seen_at TEXT not null, until TEXT, seen TEXT not null, primary key (key, handle, network));
create index payee_handle on payee (handle);
create index payee_until on payee (key, until, since, handle);
create index payee_network on payee (key, network, until, since, handle);
create table former_reference (
  key TEXT not null, handle TEXT not null, until TEXT not null, primary key (key, handle));
create index former_reference_handle on former_reference (handle);
create index former_reference_until on former_reference (key, until, handle);
