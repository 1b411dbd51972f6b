import { z } from 'zod'

/** A person may forward a link; search engines and caches must not keep its page. */
export const LINK_HEADERS = {
  'X-Robots-Tag': 'noindex, nofollow',
  'Cache-Control': 'private, no-store',
  'Referrer-Policy': 'no-referrer',
} as const

/** Opening a link needs no key, and each opening writes a row, so the number per address is limited. */
export const LINK_LIMIT = { name: 'share', limit: 'share_calls_per_ip_minute', windowS: 60, counts: 'calls' } as const

/** The errors of a link that has ended, or whose artifact has. */
export const LINK_ERRORS = ['share_link_expired', 'artifact_expired', 'artifact_revoked'] as const

/** The token of a link, in its address. */
export const LinkToken = z.string().max(200).meta({ example: '0123456789abcdefghjkmnpqrs.t4wabc.00' })
