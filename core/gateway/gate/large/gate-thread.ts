import { outlineOf } from '../../../kernel/json/json-outline.ts'
import { isJsonObject, type Json } from '../../../kernel/json/json.ts'
import { serveTasks } from '../../../kernel/threads/serve-tasks.ts'
import { charsOfBody } from '../../calls/estimate.ts'
import { tokensOf } from '../../calls/worst-case.ts'
import type { Medium } from '../../captures/recording/media.ts'
import { recordCall, rulesOf, type RecordedCall } from '../../captures/recording/record-call.ts'
import { redactMedium, type Redacted } from '../../captures/recording/redact-texts.ts'
import { audioOfCall } from '../../protocol/audio/detect.ts'
import { gateBody } from '../gate-body.ts'
import { unpackForgetList, type ForgetFinder, type PackedForgetList } from '../privacy/forget-list.ts'
import type { GateInput, GateOutput, GateTasks, MediumInput, RecordInput } from './gate-task.ts'

serveTasks<GateTasks>({ gate, record, medium })

function gate({ body: parts, rules, forgotten }: GateInput): GateOutput {
  const given: Json = JSON.parse(Buffer.concat(parts).toString('utf8'))
  if (!isJsonObject(given)) throw new Error('a body is an object')
  const { body, kept, placeholders, facts, isFlagged } = gateBody(given, rules, finderOf(forgotten))
  return {
    facts,
    isFlagged,
    body: body === given ? null : outlineOf(body),
    kept: kept === body ? null : outlineOf(kept),
    reserved: [...placeholders.reserved],
    given: outlineOf(placeholders.given),
    tokens: tokensOf(body),
    chars: charsOfBody(body),
    audio: audioOfCall(kept),
  }
}

function medium({ medium: given, settings, forgotten }: MediumInput): Redacted<Medium> {
  return redactMedium(given, rulesOf(settings, finderOf(forgotten)))
}

function record({ recorder, call, settings, forgotten }: RecordInput): RecordedCall {
  return recordCall(recorder, call, rulesOf(settings, finderOf(forgotten)))
}

/** Lists that stay compiled: the calls of a tenant come in rows. */
const MOST_LISTS = 8
const compiled = new Map<string, ForgetFinder | null>()

function finderOf(packed: PackedForgetList | null): ForgetFinder | null {
  if (packed === null) return null
  const name = `${packed.key.keyId} ${packed.list}`
  const finder = compiled.get(name) ?? unpackForgetList(packed)
  compiled.delete(name)
  compiled.set(name, finder)
  for (const oldest of compiled.keys()) {
    if (compiled.size <= MOST_LISTS) break
    compiled.delete(oldest)
  }
  return finder
}
