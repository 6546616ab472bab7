"""Invented people with an address, in a fixed order: as many as there are first names times last names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

FIRST_NAMES = (
    *("Aaron", "Abigail", "Alice", "Amelia", "Andre", "Anna", "Beatrice", "Caleb", "Camila", "Carlos", "Charlotte"),
    *("Daisy", "Darius", "Deborah", "Elena", "Eli", "Emma", "Esther", "Ethan", "Felix", "Fiona", "Gabriel", "Grace"),
    *("Hannah", "Hector", "Imani", "Isaac", "Jasmine", "Joel", "Jonah", "Judith", "Keisha", "Laura", "Leah", "Liam"),
    *("Lucia", "Malik", "Marcus", "Maria", "Micah", "Miriam", "Naomi", "Nathan", "Noah", "Olivia", "Oscar", "Paul"),
    *("Priya", "Rachel", "Rafael", "Rebecca", "Rosa", "Samuel", "Sarah", "Silas", "Simone", "Sofia", "Theo", "Victor"),
)
LAST_NAMES = (
    *("Adams", "Alvarez", "Baker", "Bennett", "Bishop", "Boyd", "Campbell", "Castillo", "Coleman", "Cruz", "Dawson"),
    *("Delgado", "Edwards", "Ellis", "Fisher", "Fleming", "Garcia", "Gibson", "Graham", "Grant", "Hayes", "Henderson"),
    *("Holland", "Howard", "Hughes", "Ingram", "Jackson", "Jensen", "Keller", "Kennedy", "Lambert", "Lawson", "Lopez"),
    *("Marsh", "Mendez", "Miles", "Morales", "Murphy", "Newton", "Nichols", "Ortiz", "Osborne", "Palmer", "Parker"),
    *("Patel", "Pearson", "Quinn", "Ramirez", "Reed", "Rivera", "Robinson", "Santos", "Sharp", "Simmons", "Sullivan"),
)
# Street, city, state and its code; the ZIP code is the city's first.
STREETS = ("Maple Street", "Oak Avenue", "Cedar Lane", "Lincoln Road", "Church Street", "Riverside Drive", "Elm Court")
CITIES = (
    ("Birmingham", "Alabama", "AL", "35203"),
    ("Phoenix", "Arizona", "AZ", "85003"),
    ("Sacramento", "California", "CA", "95814"),
    ("Denver", "Colorado", "CO", "80202"),
    ("Orlando", "Florida", "FL", "32801"),
    ("Savannah", "Georgia", "GA", "31401"),
    ("Boise", "Idaho", "ID", "83702"),
    ("Springfield", "Illinois", "IL", "62701"),
    ("Wichita", "Kansas", "KS", "67202"),
    ("Louisville", "Kentucky", "KY", "40202"),
    ("Grand Rapids", "Michigan", "MI", "49503"),
    ("Kansas City", "Missouri", "MO", "64106"),
    ("Charlotte", "North Carolina", "NC", "28202"),
    ("Tulsa", "Oklahoma", "OK", "74103"),
    ("Pittsburgh", "Pennsylvania", "PA", "15222"),
    ("Memphis", "Tennessee", "TN", "38103"),
    ("San Antonio", "Texas", "TX", "78205"),
    ("Richmond", "Virginia", "VA", "23219"),
    ("Spokane", "Washington", "WA", "99201"),
)


@dataclass(frozen=True, slots=True)
class Person:
    """A name and a postal address."""

    first_name: str
    last_name: str
    line1: str
    city: str
    state: str
    state_code: str
    zip: str

    @property
    def email(self) -> str:
        """An address that nobody can have."""
        return f"{self.first_name}.{self.last_name}@example.com".lower()


def invent_people() -> Iterator[Person]:
    """Yield people, each with another name; neighbors in the order have nothing in common."""
    for number in range(len(FIRST_NAMES) * len(LAST_NAMES)):
        turn, place = divmod(number, len(FIRST_NAMES))
        city, state, state_code, zip_code = CITIES[number % len(CITIES)]
        yield Person(
            first_name=FIRST_NAMES[(number * 7) % len(FIRST_NAMES)],
            last_name=LAST_NAMES[(place * 13 + turn) % len(LAST_NAMES)],
            line1=f"{100 + number * 37 % 900} {STREETS[number % len(STREETS)]}",
            city=city,
            state=state,
            state_code=state_code,
            zip=zip_code,
        )
