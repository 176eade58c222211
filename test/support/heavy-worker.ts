// This is the thread that checks listings, with the faults of heavy-json.ts.
import './heavy-json.ts';

await import('../../src/app/observer-worker.ts');
