import type { ModelAnswer } from './answer.ts'
import type { StreamEvent } from './stream.ts'

/** The events of a stream that gives an answer which is already whole; of several samples the first. */
export function eventsOf({ id, model, usage, choices }: ModelAnswer): readonly StreamEvent[] {
  const [choice] = choices
  const events: StreamEvent[] = [{ kind: 'start', id, model }]
  for (const [key, part] of (choice?.parts ?? []).entries()) {
    switch (part.kind) {
      case 'text': {
        events.push({ kind: 'text', text: part.text })
        break
      }
      case 'thinking': {
        events.push({ kind: 'thinking', text: part.text })
        if (part.signature !== undefined) events.push({ kind: 'signature', signature: part.signature })
        break
      }
      case 'sealed_thinking': {
        events.push({ kind: 'sealed_thinking', data: part.data })
        break
      }
      case 'tool_call': {
        events.push({ kind: 'tool_call', key, id: part.id, name: part.name })
        events.push({ kind: 'arguments', key, text: part.arguments })
        break
      }
    }
  }
  if (usage !== null) events.push({ kind: 'usage', usage })
  events.push({ kind: 'finish', finish: choice?.finish ?? 'other' }, { kind: 'end' })
  return events
}
