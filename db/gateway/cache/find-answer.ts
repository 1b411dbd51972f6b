import type { JsonObject } from '../../../core/kernel/json/json.ts'
import type { TenantAccess } from '../../kernel/operation.ts'

/** An answer as it was given before. */
export interface FoundAnswer {
  readonly provider: string
  readonly model: string
  readonly captureId: string
  readonly answer: JsonObject
}

/** Returns the answer that a request got before, when it has not expired. */
export async function findAnswer(tenant: TenantAccess, key: Buffer, now: Date): Promise<FoundAnswer | null> {
  const [row] = await tenant.read((q) =>
    q
      .selectFrom('cached_answers')
      .select(['provider', 'model', 'capture_id as captureId', 'answer'])
      .where('tenant_id', '=', tenant.tenantId)
      .where('key', '=', key)
      .where('expires_at', '>', now),
  )
  return row ?? null
}
