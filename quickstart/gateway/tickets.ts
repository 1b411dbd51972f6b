import { readFileSync } from 'node:fs'

/** The task in one sentence: the system message of every call, and the task of the compile. */
export const TICKET_TASK = 'Answer with one word: is this support ticket about billing, login or shipping?'

/** Tickets as customers wrote them, which are sent to the upstream and then compiled. */
export function readTickets(): readonly string[] {
  return linesOf('tickets.txt')
}

/** Tickets that the compile never sees; the last is of no kind that it learned. */
export function readUnseenTickets(): readonly string[] {
  return linesOf('unseen.txt')
}

function linesOf(name: string): readonly string[] {
  return readFileSync(new URL(name, import.meta.url), 'utf8')
    .trim()
    .split('\n')
}
