import type { LimitName } from '../../../core/kernel/limits.ts'
import type { RateLimitRule } from './rate-limits.ts'

/**
 * Limits of public routes whose work is small. They are counted in the process that does the work: a
 * count in the database would cost more than the answer.
 */
const ofProcess = (name: string, limit: LimitName): RateLimitRule<LimitName> => {
  return { name, limit, windowS: 60, counts: 'calls', isOfProcess: true }
}

/** Probes: many instances behind one address may ask each second. */
export const PROBES = ofProcess('probes', 'probes_per_ip_minute')
/** Documents that are the same for all callers. */
export const DOCUMENTS = ofProcess('documents', 'documents_per_ip_minute')
/** Public checks of receipts and manifests. */
export const CHECKS = ofProcess('checks', 'checks_per_ip_minute')
/** Events of the payment processor, which sends all of them from a few addresses. */
export const WEBHOOKS = ofProcess('webhooks', 'webhooks_per_ip_minute')
/** Files of pages: one page takes dozens, and all browsers of an office have one address. */
export const PAGE_FILES = ofProcess('page-files', 'page_files_per_ip_minute')
