import type { IncomingMessage } from 'node:http'
import { answerTo } from '../../kernel/reply/errors.ts'
import { cookieValue } from '../../kernel/guard/credentials.ts'
import { wantsPage } from '../../kernel/request/wants-page.ts'
import type { AccountsServices, AccountsSettings } from '../services.ts'

const COOKIE = 'svc_sso'

/**
 * The cookie of a sign-in under way. Identity providers post their answer from a page of their own, and a browser sends
 * a Lax cookie with no such call: over https it is SameSite=None, and it is worth nothing without the answer.
 */
export function ssoCookie(value: string, maxAgeS: number, settings: AccountsSettings): string {
  const isSecure = settings.isProduction || (settings.publicUrl?.startsWith('https:') ?? false)
  const site = isSecure ? 'SameSite=None; Secure' : 'SameSite=Lax'
  return `${COOKIE}=${value}; Path=/v1; Max-Age=${maxAgeS}; HttpOnly; ${site}`
}

/** The value of that cookie; empty without one, which fits no sign-in. */
export function ssoBrowser(request: IncomingMessage): string {
  return cookieValue(request.headers.cookie, COOKIE) ?? ''
}

/**
 * Runs a step of a sign-in. What goes wrong is shown to a person on the front page, by its code alone, and thrown on to
 * programs.
 */
export async function forBrowser<R>(
  call: { readonly services: AccountsServices; readonly request: IncomingMessage; readonly requestId: string },
  step: () => Promise<R>,
): Promise<
  R | { readonly status: 302; readonly raw: { readonly kind: 'empty' }; readonly headers: { Location: string } }
> {
  try {
    return await step()
  } catch (error) {
    const { envelope, isFault } = answerTo(error, call.requestId)
    if (!wantsPage(call.request) || isFault) throw error
    return { status: 302, raw: { kind: 'empty' }, headers: { Location: `/?oauth_error=${envelope.code}` } }
  }
}
