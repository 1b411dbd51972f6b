// Runs before the page is painted, so that a chosen scheme never flashes in the other one first.
try {
  const chosen = localStorage.getItem('svc-theme')
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset['theme'] = chosen
} catch {
  // A browser that keeps nothing shows the system's scheme.
}
