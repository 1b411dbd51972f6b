/** Kinds of receipts of a batch. */
export const RECEIPT_KINDS = ['batch', 'rows'] as const
