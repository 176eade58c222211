-- Its rows are in observed_value (0005-timelines.ts).
drop table listed_surface;
