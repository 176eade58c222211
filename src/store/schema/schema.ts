import type { ChangeRow } from './changes.ts';
import type {
  CapabilityRow,
  ClaimCheckRow,
  ClaimEventRow,
  ClaimKeyRow,
  ClaimRow,
  ReceiptKeyRow,
} from './claims.ts';
import type { FeedbackRow } from './feedback.ts';
import type { ImportRunRow, QuarantineRow } from './imports.ts';
import type { LeaseRow } from './leases.ts';
import type { LimitBucketRow, LimitKeyRow } from './limits.ts';
import type {
  FacetCountRow,
  ImportedSignalRow,
  ListingRow,
  ListingVersionRow,
  OptOutRow,
  PublisherCountRow,
  SearchTermRow,
} from './listings.ts';
import type { ModerationRow } from './moderation.ts';
import type {
  ObservationChangeRow,
  ObservationRow,
  ObservedPauseRow,
  ToolSurfaceRow,
} from './observations.ts';
import type { RatingResponseRow, RatingRow, RecordedIdentityRow, SpentProofRow } from './ratings.ts';
import type {
  AuditRunRow,
  LogHeadRow,
  LogKeyRow,
  LogLeafRow,
  LogNodeRow,
  LogRecordRow,
} from './transparency-log.ts';
import type { ViewMemberRow, ViewPassRow } from './views.ts';
import type { WebhookDeliveryRow, WebhookRow } from './webhooks.ts';

/** Every table by its name, for Kysely; private to the store. */
export interface Schema {
  listing: ListingRow;
  listing_version: ListingVersionRow;
  opt_out: OptOutRow;
  imported_signal: ImportedSignalRow;
  import_run: ImportRunRow;
  quarantine: QuarantineRow;
  claim: ClaimRow;
  claim_event: ClaimEventRow;
  claim_check: ClaimCheckRow;
  capability: CapabilityRow;
  rating: RatingRow;
  rating_response: RatingResponseRow;
  spent_proof: SpentProofRow;
  receipt_key: ReceiptKeyRow;
  recorded_identity: RecordedIdentityRow;
  log_leaf: LogLeafRow;
  log_node: LogNodeRow;
  log_record: LogRecordRow;
  log_head: LogHeadRow;
  log_key: LogKeyRow;
  audit_run: AuditRunRow;
  feedback: FeedbackRow;
  claim_key: ClaimKeyRow;
  facet_count: FacetCountRow;
  search_term: SearchTermRow;
  publisher_count: PublisherCountRow;
  limit_bucket: LimitBucketRow;
  limit_key: LimitKeyRow;
  lease: LeaseRow;
  evidence_change: ChangeRow;
  view_member: ViewMemberRow;
  view_pass: ViewPassRow;
  webhook: WebhookRow;
  webhook_delivery: WebhookDeliveryRow;
  moderation: ModerationRow;
  observation: ObservationRow;
  observation_change: ObservationChangeRow;
  tool_surface: ToolSurfaceRow;
  observed_pause: ObservedPauseRow;
}
