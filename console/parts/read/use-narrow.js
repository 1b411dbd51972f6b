import { useEffect, useState } from 'preact/hooks'

/** Screens on which a table has room for two columns. */
const narrow = matchMedia('(width < 34rem)')

/** Whether the screen is that narrow; renders again when this changes. */
export function useNarrow() {
  const [isNarrow, setIsNarrow] = useState(narrow.matches)
  useEffect(() => {
    const look = () => setIsNarrow(narrow.matches)
    look()
    narrow.addEventListener('change', look)
    return () => narrow.removeEventListener('change', look)
  }, [])
  return isNarrow
}
