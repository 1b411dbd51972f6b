import { EgressError } from '../../kernel/egress/egress-error.ts'
import { guardedFetch } from '../../kernel/egress/guarded-fetch.ts'
import { invalidField } from '../../kernel/errors.ts'
import { ACCOUNTS_ERRORS } from '../errors.ts'

const MAX_METADATA_BYTES = 1024 * 1024
const METADATA_TIMEOUT_MS = 10_000

/**
 * Fetches metadata from the address that an administrator gave. Throws `invalid_identity_config` for an address that is
 * not called at all, and `identity_provider_failed` when it does not answer with a document.
 */
export async function fetchMetadata(url: string, options: { readonly allowsPrivate: boolean }): Promise<string> {
  try {
    const bounds = { ...options, maxBytes: MAX_METADATA_BYTES, timeoutMs: METADATA_TIMEOUT_MS }
    const { status, bytes } = await guardedFetch(url, bounds)
    if (status === 200) return bytes.toString('utf8')
    throw ACCOUNTS_ERRORS.identity_provider_failed(`metadata_url answered ${status}`)
  } catch (error) {
    if (!(error instanceof EgressError)) throw error
    if (error.fault === 'unsupported_url' || error.fault === 'refused_address') {
      throw invalidField('metadata_url', error.message, ACCOUNTS_ERRORS.invalid_identity_config, error)
    }
    throw ACCOUNTS_ERRORS.identity_provider_failed(`metadata_url: ${error.message}`, { cause: error })
  }
}
