import { defineSignal } from '@temporalio/workflow'
import { SIGNALS } from '../../kernel/names.ts'

/** The outcome of the delivery. */
export interface MailOutcome {
  readonly state: 'sent' | 'failed' | 'nothing'
}

/** Sent with every start; a mail never changes, so the signal carries no data. */
export const changedSignal = defineSignal(SIGNALS.changed)
