import type { z } from 'zod'
import { CliError, usageError } from '../../cli-error.ts'
import type { ApiClient } from '../../client/api-client.ts'
import type { KeyView } from '../../../core/accounts/wire/keys/key-view.ts'
import { CreateKeyAnswer, ReissueKeyAnswer, type CreateKeyBody } from '../../../core/accounts/wire/keys/primary.ts'
import type { CliContext } from '../../context.ts'
import { profilePath, type Profile } from '../../client/profile.ts'
import { formatFacts } from '../../terminal/table.ts'
import { findKey } from './find-key.ts'
import { fetchLiveKeys } from './list-keys.ts'
import { ERROR_CODES } from '../../../core/errors.ts'

/** `svc keys rotate`: the only place where the new key is ever shown. */
export async function rotateKey(
  context: CliContext,
  named: string | undefined,
  options: { readonly label?: string },
): Promise<void> {
  const client = await context.client()
  const old = named === undefined ? await findPrimary(client) : await findKey(client, named)
  if (options.label !== undefined && old?.primary === false) {
    throw usageError('a scoped key keeps its label: --label is for the primary key')
  }
  const profile = await context.profile()
  const isStored = old !== undefined && profile.api_key?.startsWith(`${old.prefix}_`) === true
  // Done first: a created key that could not be stored would be lost.
  if (isStored) await context.saveProfile(profile)
  const apiKey = await replace(client, old, options.label)
  const isKept = isStored && (await keep(context, { ...profile, api_key: apiKey }))
  const result = { api_key: apiKey, replaced: old?.prefix ?? null, kept_in_profile: isKept }
  context.output.result(result, () =>
    [
      formatFacts([['key', apiKey]]),
      isKept ? `shown only once, and stored in ${profilePath(context.profileDir)}` : 'shown only once, and not stored',
    ].join('\n'),
  )
}

/** Keeps the profile; false, with a warning, when that fails after all: then the key must still be shown. */
async function keep(context: CliContext, profile: Profile): Promise<boolean> {
  try {
    await context.saveProfile(profile)
    return true
  } catch (error) {
    context.output.warn(`the profile still has the old key: ${error instanceof Error ? error.message : String(error)}`)
    return false
  }
}

/** Undefined for a tenant that has none yet, such as one that signed up through another provider. */
async function findPrimary(client: ApiClient): Promise<KeyView | undefined> {
  return (await fetchLiveKeys(client)).find(({ primary }) => primary)
}

async function replace(client: ApiClient, old: KeyView | undefined, label: string | undefined): Promise<string> {
  try {
    if (old !== undefined && label === undefined) {
      return (await client.call(`/v1/account/keys/${old.prefix}`, ReissueKeyAnswer, { method: 'DELETE' })).new_api_key
    }
    const json = { label: label ?? null } satisfies z.input<typeof CreateKeyBody>
    return (await client.call('/v1/account/keys', CreateKeyAnswer, { method: 'POST', json })).api_key
  } catch (error) {
    if (!(error instanceof CliError) || !isOpen(error)) throw error
    const hint =
      'It is unknown whether the key was replaced. If the old key no longer works, recover the account by mail.'
    throw new CliError(`${error.message}\n  ${hint}`, { exitCode: error.exitCode, code: error.code, cause: error })
  }
}

/** Returns true when the request may have taken effect despite the error. */
function isOpen({ code }: CliError): boolean {
  if (code === 'unreachable' || code === 'unexpected_answer' || /^http_5\d\d$/.test(code)) return true
  return Object.entries(ERROR_CODES).some(([known, { status }]) => known === code && status >= 500)
}
