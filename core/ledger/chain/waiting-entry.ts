import { canonicalJson } from '../../kernel/json/json.ts'
import { macText, sameMac, type Mac, type MacKey, type MacSecret } from '../../kernel/json/mac.ts'
import type { LedgerFields } from './ledger.ts'

/**
 * Returns the MAC of an entry that waits to be chained, over the RFC 8785 form of all its columns and the key's id. It
 * also covers a name of its own, so that it can never pass for the `event_hash` of a chained entry.
 */
export function macWaiting(fields: LedgerFields, key: MacKey): Mac {
  return macText(textOf(fields, key.keyId), key.secret)
}

/** True when a waiting entry is as it was written. */
export function isUnchanged(
  fields: LedgerFields,
  given: { readonly key_id: string; readonly mac: string },
  secret: MacSecret,
): boolean {
  return sameMac(macText(textOf(fields, given.key_id), secret), given.mac)
}

function textOf(fields: LedgerFields, keyId: string): string {
  return canonicalJson({ waiting_entry: 1, key_id: keyId, fields })
}
