import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import type { CompileSpec } from '../../../core/compile/wire/jobs/spec.ts'
import { checkAddress } from '../../../core/kernel/egress/check-address.ts'
import { EgressError } from '../../../core/kernel/egress/egress-error.ts'
import { invalidField } from '../../../core/kernel/errors.ts'
import type { CompileServices } from '../services.ts'

/** Throws `validation_failed` for a compile with a hook that is waited for: only the 202 holds the secret. */
export function requireUnwaited({ mode, deploy_hook: hook }: Pick<CompileSpec, 'mode' | 'deploy_hook'>): void {
  if (hook === undefined || mode !== 'sync') return
  throw invalidField('mode', 'must be async or absent beside deploy_hook: the 202 holds the secret of the hook')
}

/** Throws `webhook_address_refused` for a hook that may not be called: not https, or not on the public internet. */
export async function requireHook({ settings }: Pick<CompileServices, 'settings'>, url: string): Promise<void> {
  try {
    await checkAddress(url, { allowsPrivate: settings.allowsPrivateEgress })
  } catch (error) {
    if (!(error instanceof EgressError)) throw error
    throw invalidField('deploy_hook', error.message, ACCOUNTS_ERRORS.webhook_address_refused)
  }
}
