let loading: Promise<void> | null = null;

/** Loads the styles of the views that are not the list. The page names their file. A failed load is tried again. */
export function loadViewsStyle(): Promise<void> {
  loading ??= new Promise<void>((resolve, reject) => {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = document.documentElement.dataset['views'] ?? '';
    link.onload = () => resolve();
    link.onerror = () => {
      link.remove();
      loading = null;
      reject(new Error('the styles were not loaded'));
    };
    document.head.append(link);
  });
  return loading;
}
