import type { ExportedCapture } from './export-row.ts'
import { outputOf } from './training-rows.ts'

/** A cell of a table. */
export type Cell = string | number | boolean | null

/** A column of the tables: its type, and its value of a capture. */
export interface ExportColumn {
  readonly name: string
  readonly type: 'text' | 'count' | 'number' | 'boolean'
  readonly valueOf: (capture: ExportedCapture) => Cell
}

/** The columns of CSV and Parquet. */
export const EXPORT_COLUMNS: readonly ExportColumn[] = [
  { name: 'capture_id', type: 'text', valueOf: ({ id }) => id },
  { name: 'namespace', type: 'text', valueOf: ({ namespace }) => namespace },
  { name: 'created_at', type: 'text', valueOf: ({ at }) => at.toISOString() },
  { name: 'provider', type: 'text', valueOf: ({ provider }) => provider },
  { name: 'model', type: 'text', valueOf: ({ model }) => model },
  { name: 'status', type: 'text', valueOf: ({ status }) => status },
  { name: 'risk_score', type: 'number', valueOf: ({ risk }) => risk },
  { name: 'pii', type: 'text', valueOf: ({ redactionClasses }) => redactionClasses.join(';') },
  { name: 'prompt', type: 'text', valueOf: ({ prompt }) => prompt },
  { name: 'completion', type: 'text', valueOf: outputOf },
  { name: 'is_fixed', type: 'boolean', valueOf: ({ fixedOutput }) => fixedOutput !== null },
  { name: 'input_tokens', type: 'count', valueOf: ({ inputTokens }) => inputTokens },
  { name: 'output_tokens', type: 'count', valueOf: ({ outputTokens }) => outputTokens },
  { name: 'latency_us', type: 'count', valueOf: ({ latencyUs }) => latencyUs },
  {
    name: 'cost_usd',
    type: 'number',
    valueOf: ({ costMicros }) => (costMicros === null ? null : costMicros / 1_000_000),
  },
  { name: 'receipt_id', type: 'text', valueOf: ({ receiptId }) => receiptId },
  { name: 'chain_hash', type: 'text', valueOf: ({ chainHash }) => chainHash },
]
