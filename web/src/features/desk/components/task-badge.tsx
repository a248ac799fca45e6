/** How many tasks are for today, beside the way to them. Its code comes a while after the screen. */
import { serverNow } from '@/lib/clock';
import { usePracticeZone } from '@/lib/practice';
import { useTasks } from '../hooks/use-tasks';
import { isForToday } from '../model/tasks';

export function TaskBadge() {
  const { timeZone } = usePracticeZone();
  const { tasks } = useTasks();
  const count = tasks.filter((task) => isForToday(task, serverNow(), timeZone)).length;
  if (count === 0) return null;
  return (
    <span className="rounded-full bg-brand px-1.5 text-xs leading-5 font-semibold text-on-brand numeric">
      {count}
      <span className="sr-only"> waiting</span>
    </span>
  );
}
