import type { KernelServices } from '../services.ts'

/**
 * Makes this process forget a key, a session, a member or a tenant that a verb has just ended. The others hear of it by
 * a notification; here the very next call must be refused already.
 */
export function forgetCredential(services: Pick<KernelServices, 'keys' | 'sessions'>, id: string): void {
  services.keys.forget(id)
  services.sessions.forget(id)
}
