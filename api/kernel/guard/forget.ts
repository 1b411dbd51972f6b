import type { KernelServices } from '../services.ts'

/**
 * Removes a key, a session, a member or a tenant that a verb has just ended from the caches of this process, so that the
 * next call is refused. Other processes are notified through the database.
 */
export function forgetCredential(services: Pick<KernelServices, 'keys' | 'sessions'>, id: string): void {
  services.keys.forget(id)
  services.sessions.forget(id)
}
