-- The number of the rules (`derivation`) by which everything was derived that follows from stored records.
create table derivation (number INT8 not null);
insert into derivation (number) values (0);
