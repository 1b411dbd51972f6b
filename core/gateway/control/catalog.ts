/** Kinds of channel through which an event can arrive, as declared by its source. */
export const CHANNEL_FAMILIES = [
  'rest-json',
  'streaming',
  'webhooks',
  'batch-jsonl',
  'otel',
  'mcp',
  'a2a',
  'browser-events',
  'file-blob',
  'custom-adapter',
  'graphql-rpc',
  'message-queues',
  'warehouse-lakehouse',
  'database-cdc',
  'siem-log-drain',
  'collab-ticketing',
  'registry-packages',
] as const
/** One of them. */
export type ChannelFamily = (typeof CHANNEL_FAMILIES)[number]

/** Direction of the data, seen from this service. */
export const DIRECTIONS = ['ingress', 'egress', 'ingress+egress'] as const
/** One of them. */
export type Direction = (typeof DIRECTIONS)[number]

/** Parts of an event that are kept, and the handling of events with sensitive content. */
export const PAYLOAD_POLICIES = [
  'metadata-and-redacted-body',
  'opaque-redacted-body',
  'metadata-only',
  'refuse-sensitive',
] as const
/** One of them. */
export type PayloadPolicy = (typeof PAYLOAD_POLICIES)[number]

/** Knowledge of an event's form; only a valid manifest makes it more than a hint. */
export const ADAPTER_STATES = ['opaque', 'schema-hinted', 'manifest-declared'] as const
/** One of them. */
export type AdapterState = (typeof ADAPTER_STATES)[number]

/** Kinds of object that an event may link to. */
export const LINK_NAMES = [
  'provider_id',
  'route_id',
  'trace_id',
  'session_id',
  'dataset_id',
  'eval_suite_id',
  'compile_run_id',
  'artifact_id',
  'runtime_target_id',
  'export_job_id',
  'governance_packet_id',
] as const
/** One of them. */
export type LinkName = (typeof LINK_NAMES)[number]
