import { KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import type { CaptureReader } from '../read-columns.ts'

/** Returns true when the captures of the tenant can be read. */
export async function isStoreReachable(op: CaptureReader): Promise<boolean> {
  try {
    await op.read((q) => q.selectFrom('capture_heads').select('position').where('tenant_id', '=', op.tenantId))
    return true
  } catch (error) {
    if (KERNEL_ERRORS.store_unavailable.matches(error)) return false
    throw error
  }
}
