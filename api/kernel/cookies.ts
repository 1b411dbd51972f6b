import type { KernelSettings } from './services.ts'

/** The name of the session cookie. */
export const SESSION_COOKIE = 'svc_session'
/** The name of the cookie that ties a sign-in through another provider to the browser that began it. */
export const LOGIN_COOKIE = 'svc_login'

type CookieSettings = Pick<KernelSettings, 'isProduction' | 'publicUrl'>

/** The cookie of a session. Secure wherever the service is reached over https. */
export function sessionCookie(token: string, maxAgeS: number, settings: CookieSettings): string {
  return `${SESSION_COOKIE}=${token}; Path=/; Max-Age=${maxAgeS}; HttpOnly; SameSite=Lax${secure(settings)}`
}

/** Returns the header that removes the session cookie. */
export function clearSessionCookie(settings: CookieSettings): string {
  return sessionCookie('', 0, settings)
}

/** The cookie of a sign-in under way; an empty value with no time to live removes it. */
export function loginCookie(value: string, maxAgeS: number, settings: CookieSettings): string {
  return `${LOGIN_COOKIE}=${value}; Path=/v1; Max-Age=${maxAgeS}; HttpOnly; SameSite=Lax${secure(settings)}`
}

function secure(settings: CookieSettings): string {
  return settings.isProduction || (settings.publicUrl?.startsWith('https:') ?? false) ? '; Secure' : ''
}
