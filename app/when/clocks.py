"""Clock times: "7 y media", "ten to six", "15:30", "8 de la noche"."""

from dataclasses import replace
from typing import Final

from app.when.atoms import Clock
from app.when.spans import SpanReader

_LAST_HOUR: Final = 24
_MINUTES: Final = 60
_NOON: Final = 12
_SHORT: Final = 3
_TWO_DIGITS: Final = 10
_FIVE: Final = 5
_THREE_DIGITS: Final = 100
_FOUR_DIGITS: Final = 1000
_AFTERNOON: Final = 1300


class ClockReader(SpanReader):
    def _clock(self) -> Clock | None:
        if self._can("between"):
            return self._first_of_two()
        strong = self._take("at") is not None
        is_rough = not strong and self._is_behind("asks", "day", "weekday", "part")
        is_rough = is_rough and self._take("roughly") is not None
        strong = strong or is_rough
        weak = not strong and self._take("near") is not None
        clock = self._try(self._words_clock, self._colon_clock, lambda: self._hour_clock(strong=strong, weak=weak))
        if clock is None or (is_rough and self._can("unit", "measure", "times")):
            return None  # "avisame como 10 minutos antes"
        self._take("sharp")
        clock = self._with_half(clock)
        self._take("sharp")
        return clock

    def _first_of_two(self) -> Clock | None:
        """ "between 5 and 6pm" begins at five; "between 5 and 6 people" says no time."""
        is_sure = self._take("between") == "hours"
        first = self._small()
        if first is None or self._take("plus") is None:
            return None
        self._take("at", "near")
        second = self._small()
        if second is None or second > _LAST_HOUR or not (is_sure or self._ends_here()) or self._can("measure"):
            return None
        clock = _clock(first, 0)
        return None if clock is None else self._with_half(clock)

    def _with_half(self, clock: Clock) -> Clock | None:
        place = self.place
        if self._key() == ",":
            self.place += 1
        half = self._take("half") if self._can("half") and self._key() in {"am", "pm"} else None
        half = half or self._take("part")
        if half is None:
            self.place = place
            return clock
        return replace(clock, half=half)

    def _words_clock(self) -> Clock | None:
        return self._try(self._half_past, self._minutes_past_or_to)

    def _half_past(self) -> Clock | None:
        """ "half past seven", and "half seven", which is the same."""
        if self._take("half_after") is None or self._key() in {"a", "an"}:
            return None  # "half a dozen"
        is_past = self._take("past") is not None
        hour = self._small()
        if hour is None or (not is_past and (not 1 <= hour <= _NOON or self._can("unit", "measure"))):
            return None
        return _clock(hour, 30)

    def _minutes_past_or_to(self) -> Clock | None:
        minutes = 15 if self._take("quarter") is not None else self._small()
        if minutes is None:
            return None
        is_counted = self._take("unit", value="minute") is not None
        if minutes % _FIVE and not is_counted:
            return None  # "the garden one to 11"
        is_past = self._take("past") is not None
        if not is_past and self._take("to") is None:
            return None
        hour = self._small()
        if hour is None or not 0 < minutes < _MINUTES:
            return None
        return _clock(hour, minutes if is_past else -minutes)

    def _colon_clock(self) -> Clock | None:
        starts_with_zero = self._key().startswith("0")
        hour = self._digits(2)
        if hour is None or self._key() not in {":", "h", "."} or not self._joined() or not self._joined(1):
            return None
        sign = self._key()
        self.place += 1
        if len(self._key()) != 2:
            return None
        minute = self._digits(2)
        is_hour = self._take("unit", value="hour") is not None
        if minute is None or (
            sign == "." and not is_hour and not self._can("half", "part") and not self._was_at_or_day()
        ):
            return None
        clock = _clock(hour, minute)
        if clock is None:
            return Clock(hour, minute)  # no such time: that is said, not passed over
        return replace(clock, is_24h=clock.is_24h or starts_with_zero)

    def _was_at_or_day(self) -> bool:
        """Tell whether "at", a day or a part of it stands before: "every morning 9.30", but no "9.30 euros"."""
        behind = self._meanings[self.place - 4] if self.place >= 4 else {}
        before = behind.keys()
        is_each_day = any(value == "day" for value, _ in behind.get("unit", ()))
        is_day = is_each_day or bool({"day", "weekday", "part", "today_part"} & before)
        return (is_day and not self._can("measure")) or not before.isdisjoint({"at", "near"})

    def _hour_clock(self, *, strong: bool, weak: bool) -> Clock | None:
        starts_with_zero = len(self._key()) > 1 and self._key().startswith("0")
        is_digits = self._key().isdecimal()
        hour = self._small()
        if hour is None:
            return None
        if is_digits and (run := self._run_together(hour, strong=strong)) is not None:
            return run
        minute = self._try(self._plus_minutes, self._minus_minutes)
        is_hour = minute is None and self._take("unit", value="hour") is not None
        if minute is None:
            minute = self._try(lambda: self._spoken_minutes(is_digits=is_digits, is_at=strong or weak))
        if self._can("oclock") and self._names_thing():
            return None
        is_clock = self._take("oclock") is not None or self._can_half() or minute is not None
        is_clock = is_clock or (1 <= hour <= _NOON and self._take("ish") is not None)
        if strong or is_clock or (weak and self._ends_here()) or (is_hour and _NOON < hour < _LAST_HOUR):
            clock = _clock(hour, minute or 0) or Clock(hour, minute or 0)
            return replace(clock, is_24h=clock.is_24h or starts_with_zero)
        return None

    def _names_thing(self) -> bool:
        """Tell whether "6 o'clock" is of "the 6 o'clock news", beside another hour of the text."""
        number = self.place - 1
        _, size = self._meanings[self.place]["oclock"][0]
        behind = self.place + size
        is_named = self._is_the(number - 1) and behind < len(self.pieces) and not self._meanings[behind]
        others = (place for place in range(len(self.pieces) - 1) if not number - 1 <= place <= behind)
        return is_named and self.pieces[behind].key.isalpha() and any(map(self._may_say_hour, others))

    def _is_the(self, place: int) -> bool:
        return place >= 0 and not {"the", "of"}.isdisjoint(self._meanings[place])

    def _may_say_hour(self, place: int) -> bool:
        is_number = self.pieces[place + 1].key.isdecimal() or "number" in self._meanings[place + 1]
        is_half = self.pieces[place].key.isdecimal() and self.pieces[place + 1].key in {"am", "pm", ":"}
        return is_half or (is_number and "at" in self._meanings[place])

    def _run_together(self, number: int, *, strong: bool) -> Clock | None:
        """ "at 1930", "745am", "at 630", "1800 hrs"."""
        if number < _THREE_DIGITS or self._can("measure"):
            return None
        is_half = self._can("half") and self._key() in {"am", "pm"}
        is_hour = not is_half and self._take("unit", value="hour") is not None
        if not (strong or is_half or (is_hour and number >= _FOUR_DIGITS)):
            return None
        return _clock(*divmod(number, 100)) or Clock(number)

    def _can_half(self) -> bool:
        if self._key() in {"am", "pm"} and self._can("half"):
            return True
        return self._can("part") and any(size > 1 for _, size in self._meanings[self.place]["part"])

    def _hour_behind_day(self) -> Clock | None:
        """A number alone right behind a day or a part of it: "tomorrow morning 9", "el martes 9 hs"."""
        behind = self._meanings[self.place - 1].keys() if self.place else frozenset()
        is_behind = bool({"day", "part", "today_part"} & behind)
        is_asked = self._is_behind("asks")
        if not (is_behind or is_asked or "weekday" in behind) or not self._key().isdecimal():
            return None
        hour = self._small()
        if hour is not None and is_asked and hour > _AFTERNOON and not self._can("filler", "measure", "unit"):
            return self._run_of(hour)  # "remind me 1730 get the kids"
        if hour is not None and hour >= _THREE_DIGITS:
            return self._runs_behind_day(hour)
        # "Martes 2 horas de estudio" says how long.
        is_short = len(self._key()) <= _SHORT and self._take("unit", value="hour") is not None
        is_alone = is_short or (is_behind and self._ends_here())
        return _clock(hour, 0) if hour is not None and hour < _LAST_HOUR and is_alone else None

    def _runs_behind_day(self, number: int) -> Clock | None:
        """ "tomorrow 1145 to move the car", but not "mañana 1500 a Juan"."""
        is_alone = self.place >= len(self.pieces) or not self._key().isalnum() or self._can("to", "of", "half")
        return self._run_of(number) if is_alone and not self._can("measure", "unit") else None

    def _run_of(self, number: int) -> Clock | None:
        """Return the hour that a number without a mark may be; a round one is rather an amount."""
        is_amount = number < _THREE_DIGITS or number % _FIVE or not number % _THREE_DIGITS
        return None if is_amount else _clock(*divmod(number, 100))

    def _ends_here(self) -> bool:
        return self.place >= len(self.pieces) or (bool(self._meanings[self.place]) and not self._can("unit"))

    def _plus_minutes(self) -> int | None:
        if self._take("plus_half") is not None:
            return 30
        if self._take("plus") is None:
            return None
        if self._take("half") is not None:
            return 30
        if self._take("quarter") is not None:
            return 15
        minutes = self._small()
        if minutes is None or not 1 <= minutes < _MINUTES or self._can("unit", "half"):
            return None
        return minutes

    def _minus_minutes(self) -> int | None:
        if self._take("minus") is None:
            return None
        minutes = 15 if self._take("quarter") is not None else self._small()
        return None if minutes is None or not 0 < minutes < _MINUTES else -minutes

    def _spoken_minutes(self, *, is_digits: bool, is_at: bool) -> int | None:
        """ "seven thirty"; "at 7 30" where nothing comes behind it that could be counted."""
        if not is_at or self._key().isdecimal() != is_digits:
            return None
        minutes = self._small()
        is_whole = (
            minutes is not None and _TWO_DIGITS <= minutes < _MINUTES and (not is_digits or self._ends_here())
        )
        return minutes if is_whole else None


def _clock(hour: int, minutes: int) -> Clock | None:
    """`minutes` may be negative: "menos cuarto"."""
    if not 0 <= hour <= _LAST_HOUR or not -_MINUTES < minutes < _MINUTES:
        return None
    if minutes < 0:
        hour, minutes = hour - 1, minutes + _MINUTES
        hour = 12 if hour == 0 else hour
    if hour == _LAST_HOUR:
        return Clock(0, minutes, is_24h=True) if minutes == 0 else None
    return Clock(hour, minutes, is_24h=hour > _NOON or hour == 0)
