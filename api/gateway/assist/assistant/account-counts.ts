/**
 * Answers a question for the number of something that the account has, such as "How many artifacts do I have?"; null for any
 * other question.
 */
export function countAsked(question: string, counts: Readonly<Record<string, number>>): string | null {
  if (!/\bhow many\b.*\b(?:i|we|my|our)\b|\bcount (?:of )?(?:my|our)\b/i.test(question)) return null
  const asked = question.toLowerCase()
  const named = Object.entries(counts).filter(([name]) => asked.includes(name.replace(/s$/, '')))
  if (named.length === 0) return null
  return `You have ${named.map(([name, count]) => `${count} ${count === 1 ? name.replace(/s$/, '') : name}`).join(' and ')}.`
}
