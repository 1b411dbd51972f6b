import type { AnswerPart, Finish, ModelAnswer, Usage } from '../protocol/exchange/answer.ts'
import type { StreamEvent } from '../protocol/exchange/stream.ts'

/** Collects the events of a stream into the answer that they make. */
export interface AnswerGatherer {
  take(event: StreamEvent): void
  /** The answer so far: its first sample. */
  answer(): ModelAnswer
}

/** Longest answer that is collected, characters; what comes after it is passed on and not kept. */
const MOST_CHARS = 4 * 1024 * 1024

/** Starts to collect. Texts are joined once at the end, so a long stream costs no more than its length. */
export function gatherAnswer(): AnswerGatherer {
  let id = ''
  let model = ''
  let usage: Usage | null = null
  let finish: Finish = 'other'
  let chars = 0
  const parts: Piece[] = []
  const calls = new Map<number, Extract<Piece, { readonly kind: 'tool_call' }>>()
  const open = <K extends 'text' | 'thinking'>(kind: K): string[] => {
    const last = parts.at(-1)
    if (last?.kind === kind) return last.texts
    const texts: string[] = []
    parts.push(kind === 'text' ? { kind: 'text', texts } : { kind: 'thinking', texts, signature: undefined })
    return texts
  }
  const keep = (texts: string[] | undefined, text: string): void => {
    if (chars >= MOST_CHARS) return
    chars += text.length
    texts?.push(text)
  }
  return {
    take(event) {
      if ('sample' in event) return
      switch (event.kind) {
        case 'start': {
          id = event.id
          model = event.model
          break
        }
        case 'text':
        case 'thinking': {
          keep(open(event.kind), event.text)
          break
        }
        case 'signature': {
          const last = parts.at(-1)
          if (last?.kind === 'thinking') last.signature = event.signature
          break
        }
        case 'sealed_thinking': {
          parts.push({ kind: 'sealed_thinking', data: event.data })
          break
        }
        case 'tool_call': {
          const call = { kind: 'tool_call' as const, id: event.id, name: event.name, texts: [] }
          calls.set(event.key, call)
          parts.push(call)
          break
        }
        case 'arguments': {
          keep(calls.get(event.key)?.texts, event.text)
          break
        }
        case 'finish': {
          finish = event.finish
          break
        }
        case 'usage': {
          usage = event.usage
          break
        }
        case 'end':
        case 'error': {
          break
        }
      }
    },
    answer: () => ({ id, model, usage, choices: [{ parts: parts.map((piece) => partOf(piece)), finish }] }),
  }
}

type Piece =
  | { readonly kind: 'text'; readonly texts: string[] }
  | { readonly kind: 'thinking'; readonly texts: string[]; signature: string | undefined }
  | { readonly kind: 'sealed_thinking'; readonly data: string }
  | { readonly kind: 'tool_call'; readonly id: string; readonly name: string; readonly texts: string[] }

function partOf(piece: Piece): AnswerPart {
  switch (piece.kind) {
    case 'text': {
      return { kind: 'text', text: piece.texts.join('') }
    }
    case 'thinking': {
      return { kind: 'thinking', text: piece.texts.join(''), signature: piece.signature }
    }
    case 'sealed_thinking': {
      return piece
    }
    case 'tool_call': {
      return { kind: 'tool_call', id: piece.id, name: piece.name, arguments: piece.texts.join('') }
    }
  }
}
