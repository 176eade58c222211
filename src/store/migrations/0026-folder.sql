-- The folder of its repository that a record names.
alter table listing add column repository_folder text;
