/** How many tasks wait, beside the way to them. Its code comes a while after the screen. */
import { useTasks } from '../hooks/use-tasks';

export function TaskBadge() {
  const { tasks } = useTasks();
  if (tasks.length === 0) return null;
  return (
    <span className="rounded-full bg-brand px-1.5 text-xs leading-5 font-semibold text-on-brand numeric">
      {tasks.length}
      <span className="sr-only"> waiting</span>
    </span>
  );
}
