import { Counter, Gauge, type Registry } from 'prom-client';
import { dueListings, heldHosts, looks, observerRequests } from './events.ts';

function measureLooks(registers: Registry[]): () => void {
  const made = new Counter({
    name: 'dossier_observer_looks_total',
    help: 'Looks of this process at listings: facts changed, unchanged, or failed on our side',
    labelNames: ['outcome'],
    registers,
  });
  const changed = new Counter({
    name: 'dossier_observer_changed_facts_total',
    help: 'Facts that looks of this process found changed',
    registers,
  });
  return looks.subscribe(({ outcome, changed_facts }) => {
    made.inc({ outcome });
    changed.inc(changed_facts);
  });
}

function measureRequests(registers: Registry[]): () => void {
  const sent = new Counter({
    name: 'dossier_observer_requests_total',
    help: 'Requests of the observer: answered, paused (the host asked to wait; not sent), or how they failed',
    labelNames: ['result'],
    registers,
  });
  return observerRequests.subscribe(({ result }) => sent.inc({ result }));
}

function measureDue(registers: Registry[]): () => void {
  const due = new Gauge({
    name: 'dossier_observer_due_listings',
    help: 'Listings that are due and wait for the observer of this process, or are being looked at',
    registers,
  });
  return dueListings.subscribe(({ listings }) => due.set(listings));
}

function measureHosts(registers: Registry[]): () => void {
  const held = new Gauge({
    name: 'dossier_observer_hosts_held',
    help: 'Hosts that this process alone may ask at the moment',
    registers,
  });
  return heldHosts.subscribe(({ hosts }) => held.set(hosts));
}

/** Counts what the observer of this process does. Returns a function that stops it. */
export function measureObserver(registers: Registry[]): () => void {
  const undo = [measureLooks, measureRequests, measureDue, measureHosts].map((measure) => measure(registers));
  return () => {
    for (const end of undo) end();
  };
}
