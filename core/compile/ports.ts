import type { Json } from '../kernel/json/json.ts'

/** Rows that are kept out of all training: a port, which `learn` fills. `Call` is the operation of a tenant. */
export interface SealedRows<Call> {
  /** Returns how many of the inputs are those of sealed rows of the tenant, in any of its namespaces. */
  count(call: Call, inputs: AsyncIterable<Json>): Promise<number>
}
